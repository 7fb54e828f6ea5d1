import { type Command, InvalidArgumentError } from 'commander'
import { type Cli, wantsJson } from './context.ts'

const mostWorkers = 64

const help = `
Examples:
  storedex serve                one process
  storedex serve --workers 4    four processes on one port; SIGHUP replaces them one by one`

export function addServeAction(serve: Command, cli: Cli): void {
  serve
    .option('--workers <n>', 'serve with so many processes on one port', parseWorkers)
    .option('--print-link', 'print the link that signs in to the console also where output is no terminal')
    .addHelpText('after', help)
    .action(
      ({ workers = null, printLink = false }: { workers?: number | null; printLink?: boolean }, command: Command) =>
        cli.serve({ json: wantsJson(command), printLink, workers }),
    )
}

function parseWorkers(value: string): number {
  const workers = /^\d{1,3}$/.test(value) ? Number(value) : Number.NaN
  if (!(workers >= 1 && workers <= mostWorkers))
    throw new InvalidArgumentError(`Give a whole number from 1 to ${mostWorkers}.`)
  return workers
}
