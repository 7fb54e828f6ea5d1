import { OperatorError } from '../../foundation/kernel/errors.ts'
import type { Clock } from '../../foundation/kernel/time.ts'
import type { Config } from '../config.ts'
import { type Check, failed, passed } from './checks.ts'
import { checkDatabase, type OpenDatabase } from './database.ts'
import { checkMachine, checkMemory, checkNode } from './machine.ts'
import { checkMail } from './mail.ts'
import { checkProvider } from './provider.ts'

interface DoctorContext {
  /** Throws an `OperatorError` for a wrong setting. */
  readConfig(): Promise<Config>
  openDatabase: OpenDatabase
  clock: Clock
}

/**
 * Looks at everything that the service needs, and changes nothing. Ends within a minute whatever is down: each check has a
 * timeout, and one that fails leaves the others.
 */
export async function examineInstallation({ readConfig, openDatabase, clock }: DoctorContext): Promise<Check[]> {
  let config: Config
  try {
    config = await readConfig()
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    // Without its settings only the machine can be looked at.
    return [failed('settings', error.message, 'Correct the setting.'), checkNode(), checkMemory({ databaseUrl: null })]
  }
  const [database, provider] = await Promise.all([
    checkDatabase(config, { openDatabase, clock }),
    checkProvider(config),
  ])
  const machine = await checkMachine(config, database.service)
  return [passed('settings', 'All settings are valid.'), ...machine, ...database.checks, ...provider, checkMail(config)]
}
