import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { errorIn, forEachInParallel, startHostileApp } from './support/hostile-app.ts'

const world = await startHostileApp()

const suite: Record<string, string> = JSON.parse(
  readFileSync(new URL('../../data/json-parsing/cases.json', import.meta.url), 'utf8'),
)
const cases = Object.entries(suite).map(([name, base64]) => ({ name, bytes: Buffer.from(base64, 'base64') }))
const kinds = ['y_', 'n_', 'i_'].map((prefix) => cases.filter(({ name }) => name.startsWith(prefix)))
const [sound, broken, open] = kinds as [typeof cases, typeof cases, typeof cases]

const deepCases = new Set(['n_structure_100000_opening_arrays', 'n_structure_open_array_object'])

const codeOf = async (bytes: Buffer) => {
  const reply = errorIn(await world.post('/stores/search', new Uint8Array(bytes)))
  // None of the published cases is a valid search.
  expect(reply.status).toBe(400)
  return reply.code
}

test('the published JSON parsing cases are accepted or rejected as JSON.parse does, and none of them searches', async () => {
  await forEachInParallel(sound, async ({ name, bytes }) => {
    const code = await codeOf(bytes)
    if (name.startsWith('y_object_duplicated_key')) expect(code, name).toBe('invalid_json')
    else expect(['invalid_request', 'missing_parameter', 'unknown_parameter'], name).toContain(code)
  })
  await forEachInParallel(broken, async ({ name, bytes }) =>
    // Zero bytes are no body; and depth is checked before syntax.
    expect(await codeOf(bytes), name).toBe(
      bytes.length === 0 || deepCases.has(name) ? 'invalid_request' : 'invalid_json',
    ),
  )
  await forEachInParallel(open, ({ bytes }) => codeOf(bytes))
  expect([sound.length, broken.length, open.length]).toEqual([95, 188, 35])
})
