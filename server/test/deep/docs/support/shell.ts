import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'

interface Run {
  output: string
  /** The commands that failed, with their exit codes. */
  failures: string[]
}

export interface Shell {
  run(script: string): Promise<Run>
  close(): Promise<void>
}

// Pasted commands are followed by others even when they fail, and so are these; but each failure is noted. A reply of 400
// or more counts as one, and so does a variable that no block has set.
const preamble = `
set -Euo pipefail
curl() { command curl --fail-with-body --max-time 60 "$@"; }
`

/** Opens a bash that runs one script after the other, in which variables and the current folder stay. `scratch` keeps its files. */
export function openShell(scratch: string, options: { cwd: string; env: Record<string, string> }): Shell {
  const files = Object.fromEntries(['script', 'output', 'failures'].map((name) => [name, join(scratch, name)]))
  const bash = spawn('bash', ['--noprofile', '--norc'], { ...options, stdio: ['pipe', 'ignore', 'ignore', 'pipe'] })
  const closed = once(bash, 'close')
  const ended = createInterface({ input: bash.stdio[3] as NodeJS.ReadableStream })[Symbol.asyncIterator]()
  const { stdin } = bash
  if (!stdin) throw new Error('bash has no input.')
  stdin.write(preamble)
  stdin.write(`trap 'echo "exit code $?: $BASH_COMMAND" >> ${files.failures}' ERR\n`)
  return {
    async run(script) {
      writeFileSync(files.script!, script)
      writeFileSync(files.failures!, '')
      stdin.write(`source ${files.script} < /dev/null > ${files.output} 2>&1; echo >&3\n`)
      const isAlive = !(await Promise.race([ended.next(), rejectAfter(120_000)])).done
      const failures = readFileSync(files.failures!, 'utf8').split('\n').filter(Boolean)
      if (!isAlive) failures.push('the shell ended')
      return { output: readFileSync(files.output!, 'utf8'), failures: [...new Set(failures)] }
    },
    async close() {
      stdin.end()
      await closed
    },
  }
}

async function rejectAfter(ms: number): Promise<never> {
  await setTimeout(ms, undefined, { ref: false })
  throw new Error(`A block did not end within ${ms / 1_000} s.`)
}
