import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { deserializeError, isOutOfMemory, serializeError, Thread, threadPort } from '../src/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'storedex-thread-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let programs = 0
/** A thread that runs this code, with `port` and `task`, and the messages that it has sent. */
function start(code: string, { task, memoryMb }: { task?: unknown; memoryMb?: number } = {}) {
  const file = join(folder, `${++programs}.mjs`)
  writeFileSync(file, `import { parentPort as port, workerData as task } from 'node:worker_threads'\n${code}`)
  const sent: unknown[] = []
  const limits = memoryMb === undefined ? {} : { memoryMb }
  const thread = new Thread<unknown, unknown>({ file, execArgv: [] }, { name: 'test', task, ...limits })
  thread.onMessage((message) => sent.push(message))
  return { thread, sent }
}

describe('a thread', () => {
  test('gets its task and messages, answers, and ends without a cause', async () => {
    const { thread, sent } = start(
      `port.once('message', (asked) => { port.postMessage([task, asked]); port.close() })`,
      {
        task: { part: 1 },
      },
    )
    thread.post('go')
    expect(await thread.ended).toBeUndefined()
    expect(sent).toEqual([[{ part: 1 }, 'go']])
  })

  test('gets nothing of the environment', async () => {
    const { thread, sent } = start('port.postMessage({ ...process.env }); port.close()')
    await thread.ended
    expect(sent).toEqual([{}])
  })

  test('that throws has ended with the error, and rejects nothing', async () => {
    const { thread } = start(`throw new TypeError('broken')`)
    expect(await thread.ended).toMatchObject({ name: 'TypeError', message: 'broken' })
  })

  test('that needs more than its memory has ended for that', async () => {
    const { thread } = start('const all = []; for (;;) all.push(new Array(1e5).fill(all.length))', { memoryMb: 16 })
    expect(isOutOfMemory(await thread.ended)).toBe(true)
  })

  test('ends by itself on a message, and by force if it does not', async () => {
    const willing = start(`port.once('message', () => { port.postMessage('bye'); port.close() })`)
    await willing.thread.stop('stop', 60_000)
    expect(willing.sent).toEqual(['bye'])
    const unwilling = start('for (;;);')
    await unwilling.thread.stop('stop', 1)
    expect(await unwilling.thread.ended).toBeUndefined()
  })

  test('whose program is missing has ended with the reason', async () => {
    const thread = new Thread({ file: join(folder, 'nothing.mjs'), execArgv: [] }, { name: 'test' })
    expect(await thread.ended).toMatchObject({ code: 'MODULE_NOT_FOUND' })
  })
})

test('a program that is no thread has no port', () => {
  expect(() => threadPort()).toThrow('must run as a thread')
})

test('an error keeps name, message, stack and code on its way, and nothing else', () => {
  const error = Object.assign(new RangeError('too far'), { code: 'E_FAR', secret: () => {} })
  const copy = deserializeError(structuredClone(serializeError(error)!))
  expect(copy).toMatchObject({ name: 'RangeError', message: 'too far', code: 'E_FAR', stack: error.stack })
  expect(copy).not.toHaveProperty('secret')
  expect(serializeError('text')).toBeNull()
})
