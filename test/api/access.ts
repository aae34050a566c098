/** Who may use a route. measurement: the token of a measurement, which no user has. */
export type Access = 'measurement' | 'anyone' | 'user' | 'administrator' | 'viewer' | 'editor' | 'owner';
