import { Writable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { describeCause } from '../../../src/foundation/runtime/logger.ts'
import { createProcessLogger, formatAsSentence } from '../../../src/foundation/runtime/terminal-log.ts'

class Terminal extends Writable {
  isTTY: boolean
  text = ''

  constructor(isTTY: boolean) {
    super()
    this.isTTY = isTTY
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk
    done()
  }
}

describe('the log of a process', () => {
  test('on a terminal is a sentence for each warning and error, and nothing else', () => {
    const stderr = new Terminal(true)
    const { log, isForPerson } = createProcessLogger({ level: 'info', isLevelGiven: false, stderr })
    log.info('PostgreSQL has started')
    log.warn({ cause: describeCause(new Error('connect ECONNREFUSED')) }, 'updating the search index failed; retrying')
    log.error('The database does not answer.')
    expect(isForPerson).toBe(true)
    expect(stderr.text.replace(/^\S+ /gm, '')).toBe(
      'Warning: updating the search index failed; retrying (connect ECONNREFUSED).\nError: The database does not answer.\n',
    )
  })

  test.each([
    ['elsewhere', false, false],
    ['on a terminal, if a level was chosen', true, true],
  ])('%s is JSON', (_, isTTY, isLevelGiven) => {
    const stderr = new Terminal(isTTY)
    const lines: string[] = []
    const destination = { write: (line: string) => void lines.push(line) }
    const { log, isForPerson } = createProcessLogger({ level: 'info', isLevelGiven, stderr, destination })
    log.info('PostgreSQL has started')
    expect(isForPerson).toBe(false)
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 30, msg: 'PostgreSQL has started' }])
    expect(stderr.text).toBe('')
  })

  test('names a failed request by its route', () => {
    const line = {
      level: 50,
      time: '2026-11-22T12:00:00Z',
      msg: 'request',
      method: 'POST',
      route: '/api/v1/x',
      status: 500,
    }
    expect(formatAsSentence(line)).toMatch(/^\d\d:\d\d:\d\d Error: POST \/api\/v1\/x was answered with 500\.$/)
  })
})
