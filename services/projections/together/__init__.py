"""What two players did at the same table: head to head, and a comparison of the two."""
