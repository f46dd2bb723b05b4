"""What the transformer is made of: encoders, tokens, the head, and two ways of training."""
