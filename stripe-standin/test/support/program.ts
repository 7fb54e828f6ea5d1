import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../src/bin/standin.ts', import.meta.url))

/** The stand-in as a separate process. */
export interface Program {
  readonly url: string
  readonly output: { readonly url: string; readonly secret_key: string; readonly webhook_secret: string | null }
  readonly process: ChildProcess
  /** Sends a signal or closes standard input, and waits for the end; resolves with the exit code. */
  end(how: NodeJS.Signals | 'close stdin'): Promise<number | null>
}

/** Starts it; rejects with its error output if it ends before it listens. */
export async function startProgram(environment: Record<string, string>): Promise<Program> {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, ['--import', 'tsx', program], {
    env: { PATH, HOME, STANDIN_PORT: '0', ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit')
  let errorOutput = ''
  child.stderr.on('data', (chunk) => {
    errorOutput += chunk
  })
  const first = once(createInterface(child.stdout), 'line')
  const line = await Promise.race([
    first.then(([text]) => String(text)),
    ended.then(() => {
      throw new Error(errorOutput)
    }),
  ])
  const output = JSON.parse(line)
  return {
    url: output.url,
    output,
    process: child,
    async end(how) {
      if (how === 'close stdin') child.stdin.end()
      else child.kill(how)
      const [code] = await ended
      return code
    },
  }
}
