import { spawn } from 'node:child_process'
import { explained } from './explained.mjs'

/** Runs npm in the checkout; answers its exit code. A signal that reaches this process alone is passed on. */
export async function runNpm(projectDir, args, stdio) {
  // Under npm its own script is known; it need not be on the PATH.
  const script = process.env.npm_execpath
  const [program, ...first] = script?.endsWith('npm-cli.js') ? [process.execPath, script] : ['npm']
  const child = spawn(program, [...first, ...args], { cwd: projectDir, stdio })
  const stop = () => child.kill('SIGTERM')
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, stop)
  try {
    return await new Promise((done, fail) => {
      child.once('error', ({ message }) => fail(explained(`npm does not start: ${message}.`)))
      child.once('close', (code) => done(code ?? 1))
    })
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, stop)
  }
}
