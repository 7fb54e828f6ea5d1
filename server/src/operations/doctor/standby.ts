import type { Pool } from '../../foundation/db/pool.ts'
import { Standby } from '../../search/replica/standby.ts'
import { type Check, failed, passed, warned } from './checks.ts'

const name = 'standby'
const remedy = 'Correct DATABASE_REPLICA_URL, or start that server; the primary answers meanwhile.'

/** Whether the server in DATABASE_REPLICA_URL can answer reads. */
export async function checkStandby(url: string, primary: Pool): Promise<Check> {
  let cause: unknown
  const standby = new Standby({
    ...{ url, primary, applicationName: 'storedex doctor', maxConnections: 1, use: 'the check' },
    onLog: (_level, _line, error) => {
      cause = error
    },
  })
  try {
    await standby.check()
    switch (standby.state) {
      case 'in_step':
        return passed(name, 'It is a copy of this database and has its newest batch.')
      case 'other_database':
        return failed(name, 'DATABASE_REPLICA_URL leads to a database that is no copy of this one.', remedy)
      case 'away':
        return failed(name, `It does not answer: ${(cause as Error).message}.`, remedy)
      default:
        return warned(name, `It lacks ${standby.lag} of the newest batches.`, 'Look at its replication if this lasts.')
    }
  } finally {
    await standby.close()
  }
}
