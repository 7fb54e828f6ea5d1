import * as supervisor from '../src/supervisor.ts'

export type TestOptions = Partial<supervisor.EmbeddedPostgresOptions> & { dataDir: string }

const setup = {
  names: { database: 'garden', owner: 'gardener', serviceRole: 'visitor' },
  memoryBytes: 1024 ** 3,
  reachableHomes: '/var/lib/embedded-postgres-test',
}

/** Opens the embedded PostgreSQL as an application of other names than the service would. */
export function openEmbeddedPostgres(options: TestOptions): Promise<supervisor.EmbeddedPostgres> {
  return supervisor.openEmbeddedPostgres({ ...setup, ...options })
}
