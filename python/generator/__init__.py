"""Makes the models and operations of the client from the service's OpenAPI document. Not part of the wheel."""
