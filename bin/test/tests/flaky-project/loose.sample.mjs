import { test } from 'vitest'

test('passes, and leaves an error behind', () => {
  void Promise.reject(new Error('belongs to no test'))
})
