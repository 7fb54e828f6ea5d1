import { describe, expect, test } from 'vitest'
import { mailboxOf } from '../../../../src/foundation/kernel/mail/mailbox.ts'
import { readUserAddress, requireUserAddress } from '../../../../src/foundation/kernel/mail/user-address.ts'

describe('the address of a user', () => {
  test.each([
    ['mara@aurora.example', 'mara@aurora.example'],
    ['  Mara.Vogt+news@Aurora.EXAMPLE ', 'mara.vogt+news@aurora.example'],
    ["o'neil_1@a-b.example", "o'neil_1@a-b.example"],
    ['ops@localhost', 'ops@localhost'],
    ['ops@10.example', 'ops@10.example'],
  ])('%s is a plain one', (given, address) => {
    expect(readUserAddress(given)).toBe(address)
    expect(readUserAddress(address)).toBe(address)
  })

  const spellings = [
    ...['<many@elsewhere.example', '<<<many@elsewhere.example', 'many@elsewhere.example>', '<many@elsewhere.example>'],
    ...['Many <many@elsewhere.example>', '"many"@elsewhere.example', 'many(x)@elsewhere.example'],
    ...['many@elsewhere.example(x)', 'g:many@elsewhere.example;', 'many@elsewhere.example;', ',many@elsewhere.example'],
    ...['many@elsewhere.example,other@elsewhere.example', 'many@elsewhere.example.', 'many@.elsewhere.example'],
    ...['many@elsewhere..example', 'many@-elsewhere.example', 'many@elsewhere-.example', '.many@elsewhere.example'],
    ...['many.@elsewhere.example', 'ma..ny@elsewhere.example', 'ma ny@elsewhere.example', 'many@else where.example'],
    ...['many@@elsewhere.example', '@elsewhere.example', 'many@', 'many', 'many\\@elsewhere.example'],
    ...['many\r\nBcc: all@elsewhere.example', 'many\u0000@elsewhere.example', 'm\u0430ny@elsewhere.example'],
    ...['many\u200b@elsewhere.example', 'many@elsewhere\u3002example', '\uff4dany@elsewhere.example'],
    ...['many@[127.0.0.1]', 'many%elsewhere.example@relay.example@x.example', `${'a'.repeat(65)}@elsewhere.example`],
    `a@${'b'.repeat(260)}.example`,
  ]
  test.each(spellings)('%j is none: a mail program may read it as another', (given) => {
    expect(readUserAddress(given)).toBeNull()
    expect(() => requireUserAddress(given)).toThrow('email must be a plain email address')
  })

  test('is the same mailbox as others that its provider delivers there', () => {
    expect(mailboxOf('mara.vogt+news@gmail.com')).toBe(mailboxOf('maravogt@gmail.com'))
    expect(mailboxOf('mara@aurora.example')).not.toBe(mailboxOf('noor@aurora.example'))
    expect(mailboxOf('ops@localhost')).toBe('ops@localhost')
  })
})
