import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { KeyHolders } from '../../src/auth/key-holders.ts'

const requestWith = (authorization: string | undefined, isBehindKey = true) =>
  ({
    headers: { authorization },
    routeOptions: { config: isBehindKey ? { access: { scope: 'stores:read' } } : {} },
  }) as unknown as FastifyRequest

const key = (letter: string) => `Bearer sdx_live_${letter.repeat(38)}`

test('keys of one account share its places, and all keys that were never admitted share those of one', () => {
  const holders = new KeyHolders()
  const holderOf = (authorization: string | undefined) => holders.holderOf(requestWith(authorization))
  const stranger = holderOf(key('a'))
  for (const other of [key('b'), key('c'), 'Basic abc', undefined]) expect(holderOf(other)).toBe(stranger)

  holders.remember(key('a'), 1)
  holders.remember(key('b'), 1)
  holders.remember(key('c'), 2)
  expect(holderOf(key('b'))).toBe(holderOf(key('a')))
  expect(new Set([key('a'), key('c'), key('d')].map(holderOf)).size).toBe(3)
  expect(holderOf(key('d'))).toBe(stranger)
})

test('what is not behind a key is never shed', () => {
  expect(new KeyHolders().holderOf(requestWith(key('a'), false))).toBe(null)
})
