"""What several processes know together of keys and of Slack, through the store they share."""
