import { type SpawnOptions, spawn } from 'node:child_process'
import { errorCode } from '@storedex/process-lock/system-errors'
import { EmbeddedPostgresError } from './errors.ts'
import type { Account } from './location.ts'

/** How every program of PostgreSQL is run: as the right user, with next to no environment, in a folder it can reach. */
export function programOptions(runAs: Account | undefined): SpawnOptions {
  return {
    // Some systems give `nobody` an id above 2^31, which the operating system reads as negative.
    ...(runAs && { uid: runAs.uid | 0, gid: runAs.gid | 0 }),
    env: { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' },
    cwd: '/',
  }
}

/** What to say about a program that could not even be begun. */
export function cannotRun(program: string, cause: unknown): EmbeddedPostgresError {
  const reason =
    errorCode(cause) === 'ENOENT'
      ? 'this system lacks the C library it was built for (glibc)'
      : cause instanceof Error
        ? cause.message
        : String(cause)
  return new EmbeddedPostgresError(
    `${program} cannot run here: ${reason}. Set DATABASE_URL to a PostgreSQL of your own.`,
    {
      cause,
    },
  )
}

/** Runs a program to its end; answers its exit code and all it said. */
export function runProgram(
  program: string,
  args: readonly string[],
  options: { runAs: Account | undefined; input?: string },
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...programOptions(options.runAs), stdio: 'pipe' })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    }
    child.on('error', (error) => reject(cannotRun(program, error)))
    child.on('close', (code) => resolve({ code, output }))
    // A program that ended early has closed its input; its exit code says more than the broken pipe.
    child.stdin?.on('error', () => {}).end(options.input ?? '')
  })
}
