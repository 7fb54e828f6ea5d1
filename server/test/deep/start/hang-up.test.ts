import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { serverPid, temporaryDirectory, until } from '../../../../packages/embedded-postgres/test/support.ts'
import { findProjectDir } from '../../../src/operations/config.ts'
import type { Greeting } from '../../../src/program/serving/greeting.ts'
import { createTestDatabase } from '../../support/database.ts'
import { hasPseudoTerminals, launcher, linesUpToCurl, startOnTerminal, temporaryFolder } from './support/service.ts'

const project = findProjectDir(import.meta.dirname)
const ignored = 'SIGHUP is ignored'
const variants = [
  { processes: 'one process', args: '' },
  { processes: 'workers', args: '--workers 2' },
]

/** Sends a signal to all processes of a group; false when none is left. */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal)
  } catch {
    return false
  }
}

const readIfThere = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '')

describe.runIf(hasPseudoTerminals())('a terminal that is closed', () => {
  test.each(variants)('does not end $processes of `nohup npm start &`; SIGTERM does, in order', async ({ args }) => {
    const [folder, dataDir] = [temporaryFolder(), join(temporaryDirectory(), 'data')]
    const npm = `nohup npm --prefix '${project}' --silent start -- --json ${args}`
    // The shell leads a session with one group: the system sends SIGHUP to all of it, npm included.
    const terminal = startOnTerminal({ DATA_DIR: dataDir }, `cd '${folder}'; echo $$; ${npm} & wait`)
    const group = Number(await terminal.line())
    onTestFinished(() => void signalGroup(group, 'SIGKILL'))
    const output = () => readIfThere(join(folder, 'nohup.out'))
    const greeting = () => output().match(/^\{.*"api":.*\}$/m)?.[0]
    await expect.poll(greeting, { timeout: 120_000 }).toBeDefined()
    const { api } = JSON.parse(greeting()!) as Greeting

    await terminal.close()
    await expect.poll(output).toContain(ignored)
    expect((await fetch(new URL('/healthz', api))).status).toBe(200)
    expect((await fetch(new URL('/readyz', api))).status).toBe(200)
    expect(output()).not.toContain('a worker died')

    signalGroup(group, 'SIGTERM')
    await until(() => !signalGroup(group, 0))
    expect(serverPid(dataDir)).toBeUndefined()
  })

  test.each(variants)('ends $processes on it, in order', async ({ args }) => {
    const dataDir = join(temporaryDirectory(), 'data')
    const service = startOnTerminal({ DATA_DIR: dataDir }, `exec '${process.execPath}' '${launcher}' serve ${args}`)
    await linesUpToCurl(service)
    expect(serverPid(dataDir)).toBeDefined()
    await service.close()
    await until(() => serverPid(dataDir) === undefined)
  })
})

/** A program of the launcher without a terminal, in a group of its own. */
function startProgram(program: string, args: string[], settings: Record<string, string>) {
  const { PATH = '', HOME = '' } = process.env
  const options = { env: { PATH, HOME, ...settings }, detached: true, stdio: 'pipe' } as const
  const child = spawn(process.execPath, [program, ...args], options)
  const ended = once(child, 'close')
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  onTestFinished(async () => {
    signalGroup(child.pid!, 'SIGKILL')
    await ended
  })
  return {
    stdin: child.stdin,
    output: () => output,
    hangUp: () => signalGroup(child.pid!, 'SIGHUP'),
    /** What ended it: its exit code, or a signal. */
    end: async () => {
      await ended
      return child.exitCode ?? child.signalCode
    },
  }
}

describe('SIGHUP without a terminal', () => {
  test('does not end an import, which says so and takes its whole input', async () => {
    const { url } = await createTestDatabase()
    const settings = { DATABASE_URL: url, DATA_DIR: temporaryFolder() }
    const running = startProgram(launcher, ['import', 'stores', '-', '--json'], settings)
    running.stdin.write('{"domain":"one.example","name":"One","country":"DE"}\n')
    // More than a pipe takes: once it is written, the import reads.
    await new Promise((done) => running.stdin.write('\n'.repeat(2 ** 21), done))
    running.hangUp()
    await expect.poll(running.output).toContain(ignored)
    running.stdin.end('{"domain":"two.example","name":"Two","country":"DE"}\n')
    expect(await running.end()).toBe(0)
    expect(running.output()).toMatch(/"read":2\b/)
  })

  test('does not end an installation of packages', async () => {
    const folder = temporaryFolder()
    for (const path of ['bin/launcher', 'bin/storedex.mjs', 'packages/process-lock'])
      cpSync(join(project, path), join(folder, path), { recursive: true })
    writeFileSync(
      join(folder, 'package-lock.json'),
      '{ "packages": { "node_modules/missing": { "version": "1.0.0" } } }',
    )
    const [begun, gate, done] = ['begun', 'gate', 'done'].map((name) => join(folder, name))
    mkdirSync(join(folder, 'npm'))
    const npm = join(folder, 'npm/npm-cli.js')
    // Stands for npm, which like every program of Node is ended by SIGHUP, whatever it was started with.
    writeFileSync(
      npm,
      `const { existsSync, writeFileSync } = require('node:fs')
      if (process.argv.includes('ci')) {
        writeFileSync(${JSON.stringify(begun)}, '')
        setInterval(() => {
          if (!existsSync(${JSON.stringify(gate)})) return
          writeFileSync(${JSON.stringify(done)}, '')
          process.exit(1)
        }, 10)
      }`,
    )
    const start = startProgram(join(folder, 'bin/storedex.mjs'), ['serve'], { npm_execpath: npm })
    await until(() => existsSync(begun!))
    start.hangUp()
    writeFileSync(gate!, '')
    // The launcher has waited for it, and tells how it ended.
    expect(await start.end()).toBe(1)
    expect(start.output()).toContain('The packages could not be installed')
    expect(existsSync(done!)).toBe(true)
  })
})
