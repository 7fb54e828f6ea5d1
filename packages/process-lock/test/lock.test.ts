import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { LockTimeoutError, tryLock, withLock } from '../src/lock.mjs'
import { currentProcessIdentity, inspectProcess, isProcessAlive } from '../src/processes.mjs'

const options = { timeoutMs: 20_000, waitingFor: 'the test' }

test('processes that count under the lock lose no count', async () => {
  const directory = temporaryDirectory()
  const counter = join(directory, 'counter')
  writeFileSync(counter, '0')
  const script = `
    import { readFileSync, writeFileSync } from 'node:fs'
    import { withLock } from ${JSON.stringify(join(import.meta.dirname, '../src/lock.mjs'))}
    const [directory, counter] = process.argv.slice(1)
    for (let turn = 0; turn < 8; turn++) {
      await withLock(directory, async () => {
        const before = Number(readFileSync(counter, 'utf8'))
        await new Promise((resolve) => setTimeout(resolve, 2))
        writeFileSync(counter, String(before + 1))
      }, ${JSON.stringify(options)})
    }`
  const args = ['--input-type=module', '--eval', script, directory, counter]
  const codes = await Promise.all(
    [1, 2, 3].map(async () => {
      const child = spawn(process.execPath, args, { cwd: import.meta.dirname, stdio: 'inherit' })
      return (await once(child, 'exit'))[0]
    }),
  )
  expect(codes).toEqual([0, 0, 0])
  expect(readFileSync(counter, 'utf8')).toBe('24')
})

test('the lock excludes within one process too, and is free again after a failure', async () => {
  const directory = temporaryDirectory()
  const order: string[] = []
  const slow = withLock(
    directory,
    async () => {
      order.push('first in')
      await delay(60)
      order.push('first out')
      throw new Error('the work failed')
    },
    options,
  )
  const quick = withLock(directory, async () => order.push('second in'), options)
  await expect(slow).rejects.toThrow('the work failed')
  await quick
  expect(order).toEqual(['first in', 'first out', 'second in'])
})

test('a holder that died, or whose process id was given to another, is followed', async () => {
  const directory = temporaryDirectory()
  symlinkSync(`${await deadPid()} some time ago`, join(directory, 'lock.6'))
  await withLock(directory, async () => {}, options)
  symlinkSync(`${process.pid} another time`, join(directory, 'lock.90'))
  await withLock(directory, async () => {}, options)
  expect(readdirSync(directory)).toEqual(['lock.92'])
})

test('a living holder is waited for within a bound; the error names what for, the process and the file', async () => {
  const directory = temporaryDirectory()
  const file = join(directory, 'lock.1')
  symlinkSync(currentProcessIdentity(), file)
  const waiting = withLock(directory, async () => {}, { timeoutMs: 30, waitingFor: 'the kettle' })
  await expect(waiting).rejects.toThrow(LockTimeoutError)
  await expect(waiting).rejects.toThrow(
    `Waited 0.03 s for the kettle: process ${process.pid} still holds the lock ${file}.`,
  )
})

test('one attempt to take the lock succeeds, or names the holder', () => {
  const directory = temporaryDirectory()
  const first = tryLock(directory)
  const holder = { pid: process.pid, file: join(directory, 'lock.1') }
  expect(tryLock(directory)).toEqual({ holder })
  if ('release' in first) first.release()
  expect(tryLock(directory)).toHaveProperty('release')
})

test('a number that was passed long ago does not count as the lock', async () => {
  const directory = temporaryDirectory()
  symlinkSync(currentProcessIdentity(), join(directory, 'lock.9'))
  symlinkSync('free', join(directory, 'lock.3'))
  expect(tryLock(directory)).toEqual({ holder: { pid: process.pid, file: join(directory, 'lock.9') } })
})

test('a zombie counts as dead', async () => {
  const parent = spawn('/bin/sh', ['-c', 'sleep 0.1 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] })
  onTestFinished(() => void parent.kill('SIGKILL'))
  const [line] = (await once(createInterface({ input: parent.stdout }), 'line')) as [string]
  await expect.poll(() => inspectProcess(Number(line)), { interval: 10 }).toBeUndefined()
  expect(() => process.kill(Number(line), 0)).not.toThrow()
  expect(inspectProcess(Number(line))).toBeUndefined()
})

test('an identity is of one process for good', async () => {
  expect(isProcessAlive(currentProcessIdentity())).toBe(true)
  expect(isProcessAlive(`${process.ppid} ${inspectProcess(process.ppid)?.startedAt}`)).toBe(true)
  expect(isProcessAlive(`${process.ppid} another time`)).toBe(false)
  expect(isProcessAlive(`${await deadPid()} undefined`)).toBe(false)
  expect(isProcessAlive('no identity at all')).toBe(false)
})

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'process-lock-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

async function deadPid(): Promise<number> {
  const child = spawn('true')
  await once(child, 'exit')
  return child.pid!
}
