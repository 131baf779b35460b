"""What the templates of the queue's pages use."""
