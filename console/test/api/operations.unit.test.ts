import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { routes } from '../../src/api/generated/console.ts'
import { addressOf } from '../../src/api/operations.ts'

const sources = join(import.meta.dirname, '../../src')

describe('the address of an operation', () => {
  test('has the parameters of its path in their places, escaped', () => {
    expect(addressOf('viewStore', { account: 'acct_a', domain: 'a/b c.example' })).toBe(
      '/console/api/accounts/acct_a/stores/a%2Fb%20c.example',
    )
  })

  test('has the others as its query, and leaves out what is not given', () => {
    expect(addressOf('listKeys', { account: 'acct_a', state: 'usable', limit: 100, cursor: undefined })).toBe(
      '/console/api/accounts/acct_a/keys?state=usable&limit=100',
    )
  })
})

test('every operation of the document is called by a page', () => {
  const text = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.includes('generated'))
    .map((file) => readFileSync(join(sources, file), 'utf8'))
    .join('\n')
  const uncalled = Object.keys(routes).filter((id) => !text.includes(`'${id}'`))
  // The identity provider sends the browser there.
  expect(uncalled).toEqual(['finishOpenIdSignIn'])
})
