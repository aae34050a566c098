// Run by mongosh at every start: makes the replica set and the service's user where they are missing.
const hosts = ['mongodb-1:27017', 'mongodb-2:27017', 'mongodb-3:27017'];
const { MONGODB_ROOT_PASSWORD, MONGODB_PASSWORD } = process.env;
const administrator = `root:${MONGODB_ROOT_PASSWORD}`;

// The first member alone knows the administrator before there is a replica set.
db = connect(`mongodb://${administrator}@${hosts[0]}/admin?directConnection=true`);
try {
  rs.status();
} catch (error) {
  if (error.codeName !== 'NotYetInitialized') throw error;
  rs.initiate({ _id: 'calibron', members: hosts.map((host, _id) => ({ _id, host })) });
}

// The primary, once there is one; it need not be the first member.
const primary = connect(`mongodb://${administrator}@${hosts}/calibron?replicaSet=calibron&authSource=admin`);
// dbAdmin as well: a release that changes for how long documents are kept changes an index.
const roles = ['readWrite', 'dbAdmin'].map((role) => ({ role, db: 'calibron' }));
const account = { pwd: MONGODB_PASSWORD, roles };
if (primary.getUser('calibron')) primary.updateUser('calibron', account);
else primary.createUser({ user: 'calibron', ...account });
