"""What people come to the site for, step by step, with whatever device and hands they have."""
