export { type Client, ConnectionPool, Lane, type Pool, type PoolStats, type Queryable } from './connection-pool.ts'
export { connectClient, NoHostError } from './host-client.ts'
