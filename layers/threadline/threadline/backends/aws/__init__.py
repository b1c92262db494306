"""DynamoDB, SQS, S3 and Secrets Manager behind the ports; clients are passed in."""
