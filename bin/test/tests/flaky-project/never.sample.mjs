import { expect, test } from 'vitest'

test('never passes', () => expect(1).toBe(2))
