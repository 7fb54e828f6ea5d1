import { expect, test } from 'vitest'
import { scenarios } from '../scenarios.ts'
import { scenariosOf } from './support/short-form.ts'

test('every scenario has a short form that is tested', () => {
  expect(Object.values(scenariosOf).flat().sort()).toEqual(scenarios.map(({ name }) => name).sort())
})
