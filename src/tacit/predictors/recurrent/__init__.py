"""What the LSTMs are made of: words and graphs as arrays, the network, its training."""
