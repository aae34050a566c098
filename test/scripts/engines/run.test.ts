import { Connection } from '@temporalio/client';
import { MongoClient } from 'mongodb';
import { expect, inject, test } from 'vitest';

test('a test run has a Temporal server with its namespace', async () => {
  const connection = await Connection.connect({ address: inject('temporal') });
  try {
    const { namespaceInfo } = await connection.workflowService.describeNamespace({ namespace: 'default' });
    expect(namespaceInfo?.name).toBe('default');
    expect(process.env.CALIBRON_TEST_TEMPORAL).toBe(inject('temporal'));
  } finally {
    await connection.close();
  }
});

test('a test run has a store that declares at least MongoDB 7', async () => {
  const client = new MongoClient(inject('mongodb'));
  try {
    const { version } = await client.db('admin').command({ buildInfo: 1 });
    expect(Number.parseInt(version, 10)).toBeGreaterThanOrEqual(7);
    expect(process.env.CALIBRON_TEST_MONGODB).toBe(inject('mongodb'));
  } finally {
    await client.close();
  }
});
