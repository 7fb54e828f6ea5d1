import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { proofRuns } from '../../../../bin/tests/proof-runs.ts'
import { scopes } from '../../../src/customers/auth/caller.ts'
import { knownList, operations } from '../access/support/operations.ts'
import { errorIn, forEachInParallel, marker, startHostileApp } from './support/hostile-app.ts'
import { validBodies } from './support/valid-bodies.ts'

const world = await startHostileApp()
const bodies = await validBodies(world)

/** A path in a body, and the value there. */
interface Place {
  steps: (string | number)[]
  path: string
  value: unknown
}

function placesIn(value: unknown, steps: Place['steps'] = [], path = ''): Place[] {
  const places: Place[] = [{ steps, path, value }]
  if (typeof value !== 'object' || value === null) return places
  for (const [name, child] of Object.entries(value)) {
    const childPath = Array.isArray(value) ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`
    places.push(...placesIn(child, [...steps, name], childPath))
  }
  return places
}

/** A copy of the body with another value at the path. */
function replaced(body: unknown, [step, ...rest]: Place['steps'], value: unknown): unknown {
  if (step === undefined) return value
  const copy = structuredClone(body) as Record<string, unknown>
  copy[step] = replaced(copy[step], rest, value)
  return copy
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
const typeOf = (value: unknown) => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)

test('every operation with a body has a valid body here', async () => {
  const withBody = Object.values(operations).filter(({ body }) => body !== undefined)
  const nameOf = ({ method = 'POST', path }: { method?: string; path: string }) =>
    `${method} ${path.replace(/lst_live_[A-Za-z]{16}/, knownList)}`
  expect(bodies.map(nameOf).sort()).toEqual(withBody.map(nameOf).sort())
  const other = await world.app.key({ scopes })
  for (const { method = 'POST', path, body } of bodies) {
    // Only the key that has a list may use it, and lists cost nothing.
    const isOfList = path.startsWith('/lists/')
    const { status } = isOfList ? await world.send(method, path, JSON.stringify(body)) : await other.post(path, body)
    expect([200, 201], nameOf({ method, path })).toContain(status)
  }
})

/** Where a value of another type is as good. */
const alsoAccepted: Record<string, string> = { cursor: 'string', description: 'string', max_contacts_per_store: 'null' }

describe.each(bodies)('$path rejects, with the path of the fault,', ({ method = 'POST', path, body, maxItems }) => {
  const places = placesIn(body)
  const objects = places.filter(({ value }) => isObject(value))
  const lists = places.filter(({ value }) => Array.isArray(value))
  const refusal = async (wrong: unknown) => errorIn(await world.send(method, path, JSON.stringify(wrong)))
  const invalid = (code: string, param: string) => ({ status: 400, code, ...(param !== '' && { param }) })

  test('a value of another type at every path', async () => {
    const others = [null, true, 7, marker, [], {}]
    const wrong = places.flatMap((place) =>
      others
        .filter((other) => typeOf(other) !== typeOf(place.value))
        .filter((other) => alsoAccepted[place.path] !== typeOf(other))
        .map((other) => ({ place, other })),
    )
    await forEachInParallel(wrong, async ({ place, other }) =>
      expect(await refusal(replaced(body, place.steps, other)), JSON.stringify(other)).toEqual(
        invalid('invalid_request', place.path),
      ),
    )
  })

  test('random values of another type at random paths', async () => {
    const wrong = fc
      .tuple(fc.constantFrom(...places), fc.jsonValue({ maxDepth: 3 }))
      .filter(([place, other]) => typeOf(other) !== typeOf(place.value) && alsoAccepted[place.path] !== typeOf(other))
    await fc.assert(
      fc.asyncProperty(wrong, async ([place, other]) => {
        expect(await refusal(replaced(body, place.steps, other))).toEqual(invalid('invalid_request', place.path))
      }),
      { numRuns: proofRuns(100) },
    )
  })

  test('an unknown property, at every depth', async () => {
    const names = [marker, 'Limit', 'constructor', 'toString', '__proto__', 'hasOwnProperty', '$where']
    const wrong = objects.flatMap((place) => names.map((name) => ({ place, name })))
    await forEachInParallel(wrong, async ({ place, name }) => {
      const extended = Object.fromEntries([...Object.entries(place.value as object), [name, {}]])
      const param = place.path === '' ? name : `${place.path}.${name}`
      expect(await refusal(replaced(body, place.steps, extended))).toEqual(invalid('unknown_parameter', param))
    })
  })

  test('random unknown properties with random values', async () => {
    const known = new Set(places.flatMap(({ steps }) => steps.slice(-1)))
    const wrong = fc.tuple(fc.constantFrom(...objects), fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 2 }))
    await fc.assert(
      fc.asyncProperty(wrong, async ([place, name, value]) => {
        fc.pre(!known.has(name))
        const extended = Object.fromEntries([...Object.entries(place.value as object), [name, value]])
        const { param, ...rest } = await refusal(replaced(body, place.steps, extended))
        expect(rest).toEqual({ status: 400, code: 'unknown_parameter' })
        expect(param!.startsWith(place.path)).toBe(true)
        expect(param).not.toMatch(/[\p{C}]/u)
      }),
      { numRuns: proofRuns(100) },
    )
  })

  test('one item too many in every list', async () => {
    await forEachInParallel(lists, async (place) => {
      const [item = 'x'] = place.value as string[]
      const tooMany = Array(maxItems(place.path) + 1).fill(item)
      expect(await refusal(replaced(body, place.steps, tooMany))).toEqual(invalid('invalid_request', place.path))
    })
  })

  test('a repeated key, at every depth and in any spelling', async () => {
    const text = JSON.stringify(body)
    const keys = [...text.matchAll(/"(\w+)":/g)]
    const escaped = (name: string) => [...name].map((c) => `\\u00${c.charCodeAt(0).toString(16)}`).join('')
    const wrong = keys.flatMap(({ 1: name, index }) =>
      [name!, escaped(name!)].map((again) => `${text.slice(0, index)}"${again}":null,${text.slice(index)}`),
    )
    expect(wrong).toHaveLength(2 * objects.flatMap(({ value }) => Object.keys(value as object)).length)
    await forEachInParallel(wrong, async (twice) =>
      expect(errorIn(await world.send(method, path, twice))).toEqual(invalid('invalid_json', '')),
    )
  })
})

test.each(bodies.filter(({ required }) => required !== null))(
  '$path refuses the absence of $required',
  async ({ path, body, required }) => {
    const rest = Object.fromEntries(Object.entries(body).filter(([name]) => name !== required))
    const refusal = errorIn(await world.post(path, JSON.stringify(rest)))
    expect(refusal).toEqual({ status: 400, code: 'missing_parameter', param: required })
  },
)
