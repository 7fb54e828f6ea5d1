import pg from 'pg'

// Any fixed number, another one than the migrations'.
const firstStartLock = 7_305_111_202

/** Runs `work` while no other process does so on the same database, as long as either may take. */
export async function runExclusively<T>(url: string, work: () => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: 'storedex first start' })
  client.on('error', () => {}) // without the connection there is no lock left to give back
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1::bigint)', [firstStartLock])
    return await work()
  } finally {
    // Ending the session gives the lock back.
    await client.end().catch(() => {})
  }
}
