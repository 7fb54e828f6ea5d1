import { escapeLine } from '@storedex/process-lock/terminal'
import type { Command } from 'commander'
import { OperatorError } from '../../foundation/kernel/errors.ts'
import { systemClock } from '../../foundation/kernel/time.ts'
import type { Check, CheckStatus } from '../../operations/doctor/checks.ts'
import { type Cli, printResult } from './context.ts'

const about = `
It changes nothing, works beside a running service and without one, and with a database that is down. A warning is worth
a look; something that failed keeps the service from working as set up. The exit code is 1 if anything failed.`

export function addDoctorAction(doctor: Command, cli: Cli): void {
  doctor.addHelpText('after', about).action(async (_flags: object, command: Command) => {
    const { examineInstallation } = await import('../../operations/doctor/doctor.ts')
    const checks = await examineInstallation({
      readConfig: () => cli.readConfig(),
      openDatabase: (config) => cli.openDatabase(config),
      clock: systemClock,
    })
    printResult(cli, command, { checks }, formatChecks(checks))
    const failures = checks.filter(({ status }) => status === 'failed').map(({ name }) => name)
    if (failures.length > 0) throw new OperatorError(`Failed: ${failures.join(', ')}.`)
  })
}

const labels: Record<CheckStatus, string> = { ok: 'ok', warning: 'warning', failed: 'FAILED' }

function formatChecks(checks: readonly Check[]): string {
  const nameWidth = Math.max(...checks.map(({ name }) => name.length))
  const lines = checks.flatMap(({ name, status, detail, advice }) => {
    const line = `${labels[status].padEnd(7)}  ${name.padEnd(nameWidth)}  ${escapeLine(detail)}`
    return advice === null ? [line] : [line, `${' '.repeat(nameWidth + 11)}→ ${escapeLine(advice)}`]
  })
  const count = (status: CheckStatus) => checks.filter((check) => check.status === status).length
  return [...lines, '', `${count('ok')} ok, ${count('warning')} to look at, ${count('failed')} failed.`].join('\n')
}
