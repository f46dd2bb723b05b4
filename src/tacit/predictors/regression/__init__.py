"""What the linear predictor is made of: n-grams, and softmax regression on them."""
