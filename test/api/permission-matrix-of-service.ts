/** Who may ask for the service itself: its state, its description and its web console. */
export const accessOfService = {
  'GET /healthz': 'anyone',
  'GET /readyz': 'anyone',
  'GET /metrics-prometheus': 'anyone',
  'GET /openapi.json': 'anyone',
  'GET /docs': 'anyone',
  'GET /docs/json': 'anyone',
  'GET /docs/yaml': 'anyone',
  'GET /docs/static/*': 'anyone',
  'GET /docs/static/index.html': 'anyone',
  'GET /docs/static/swagger-initializer.js': 'anyone',
  'GET /': 'anyone',
  'GET /console': 'anyone',
  'GET /console/*': 'anyone',
  'GET /console/assets/*': 'anyone',
  'GET /settings': 'user',
} as const;
