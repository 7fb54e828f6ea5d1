import { test } from 'vitest'

test('passes, and leaves an error behind', () => {
  Promise.reject(new Error('belongs to no test'))
})
