"""`tacit ground`: what each formula becomes, and what that costs."""
