import { expect, test } from 'vitest'
import { Vocabulary } from '../../../src/search/query/vocabulary.ts'
import { vocabularyOf } from '../support/random-catalogue.ts'

const vocabulary = vocabularyOf({
  category: ['home', 'candles/home', 'scented/candles'],
  app: ['klaviyo', 'klarna', 'omnisend', 'mailchimp'],
  pixel: ['klaviyo'],
})

test('a term is found in its own facet, in any letter case', () => {
  const app = vocabulary.find('app', 'KLAVIYO')
  expect(app?.value).toBe('klaviyo')
  expect(vocabulary.find('pixel', 'klaviyo')?.token).not.toBe(app?.token)
  expect(vocabulary.find('category', 'klaviyo')).toBeUndefined()
})

test('a term stands for its own token and those of its descendants only', () => {
  const tokensWithin = (value: string) => vocabulary.tokensWithin(vocabulary.find('category', value)!)
  const tokenOf = (value: string) => vocabulary.find('category', value)!.token
  expect(tokensWithin('home')).toEqual(expect.arrayContaining(['scented', 'candles', 'home'].map(tokenOf)))
  expect(tokensWithin('candles').sort()).toEqual(['scented', 'candles'].map(tokenOf).sort())
  expect(tokensWithin('scented')).toEqual([tokenOf('scented')])
})

test('a cycle of parents ends', () => {
  const circle = new Vocabulary([
    { facet: 'category', value: 'a', token: 1, parent: 'b' },
    { facet: 'category', value: 'b', token: 2, parent: 'a' },
  ])
  expect(circle.tokensWithin(circle.find('category', 'a')!)).toEqual([1, 2])
})

test('suggestions come nearest first', () => {
  expect(vocabulary.hint('app', 'Klavyo')).toBe('nearest: klaviyo, klarna')
  expect(vocabulary.hint('app', 'mail')).toBe('nearest: mailchimp')
})

test('a long list suggests only similar values; a short one is named whole where none is similar', () => {
  const many = new Vocabulary(
    Array.from({ length: 21 }, (_, n) => ({ facet: 'app' as const, value: `tool_${n}`, token: n, parent: null })),
  )
  expect(many.hint('app', 'zzzzzzzz')).toBeNull()
  expect(many.hint('app', 'tool_2')).toMatch(/^nearest: tool_2, /)
  expect(vocabulary.hint('app', 'zzzzzzzz')).toMatch(/^one of: .*klaviyo/)
})
