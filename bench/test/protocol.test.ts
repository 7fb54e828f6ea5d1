import { describe, expect, test } from 'vitest'
import { MessageReader, TrafficCounter } from '../api/protocol.ts'

function message(letter: string, bodyBytes: number): Buffer {
  const bytes = Buffer.alloc(letter.length + 4 + bodyBytes, 'S')
  bytes.write(letter)
  bytes.writeUInt32BE(4 + bodyBytes, letter.length)
  return bytes
}

describe('reading messages', () => {
  const conversation = Buffer.concat([
    message('', 70),
    message('p', 54),
    message('P', 300),
    message('B', 20),
    message('E', 5),
    message('S', 0),
  ])
  const letters = ['startup', 'p', 'P', 'B', 'E', 'S']

  test('finds every message of a client, the first without a letter', () => {
    expect(new MessageReader('client').read(conversation)).toEqual(letters)
  })

  test('finds the same however the bytes arrive', () => {
    for (const size of [1, 2, 3, 7, 64, 301]) {
      const reader = new MessageReader('client')
      const found: string[] = []
      for (let at = 0; at < conversation.length; at += size)
        found.push(...reader.read(conversation.subarray(at, at + size)))
      expect(found, `in pieces of ${size}`).toEqual(letters)
    }
  })

  test('all messages of a server have a letter', () => {
    expect(new MessageReader('server').read(Buffer.concat([message('R', 8), message('Z', 1)]))).toEqual(['R', 'Z'])
  })
})

describe('counting traffic', () => {
  function count(talk: string) {
    const counter = new TrafficCounter()
    for (const letter of talk) {
      if (letter === 'Z') counter.answered(letter)
      else counter.asked(letter)
    }
    const { statements, parsed, roundTrips } = counter.traffic
    return { statements, parsed, roundTrips }
  }

  test('a prepared statement is parsed once and a round trip each time', () => {
    expect(count('PBDESZ' + 'BDESZ')).toEqual({ statements: 2, parsed: 1, roundTrips: 2 })
  })

  test('a plain statement is parsed, executed and waited for', () => {
    expect(count('QZ')).toEqual({ statements: 1, parsed: 1, roundTrips: 1 })
  })

  test('statements asked for together share a round trip', () => {
    expect(count('BDESBDESZZ')).toEqual({ statements: 2, parsed: 0, roundTrips: 1 })
    expect(count('BDEBDESZ')).toEqual({ statements: 2, parsed: 0, roundTrips: 1 })
  })
})
