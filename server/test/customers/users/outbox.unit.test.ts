import { pino } from 'pino'
import { expect, test } from 'vitest'
import type { Mail } from '../../../src/customers/users/mail.ts'
import { Outbox } from '../../../src/customers/users/outbox.ts'

const mailTo = (n: number) => ({ to: `person-${n}@people.example`, subject: 'S', text: 'T' })

test('requests are refused before a mail is dropped, and admitted once mails went out', async () => {
  let open = () => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const sent: Mail[] = []
  const outbox = new Outbox(
    async (mail) => {
      await gate
      sent.push(mail)
    },
    pino({ level: 'silent' }),
  )
  for (let n = 0; n < 100; n++) {
    outbox.requireRoom()
    outbox.send(async () => mailTo(n))
  }
  expect(() => outbox.requireRoom()).toThrow(expect.objectContaining({ code: 'service_unavailable' }))
  // One whose request was admitted before.
  outbox.send(async () => mailTo(100))
  open()
  await outbox.drain()
  expect(sent).toHaveLength(101)
  outbox.requireRoom()
})

test('a mail that fails takes back what was counted for it, and is counted as failed', async () => {
  const outbox = new Outbox(
    (mail) => (mail.to === mailTo(1).to ? Promise.reject(new Error('refused')) : Promise.resolve()),
    pino({ level: 'silent' }),
  )
  let takenBack = 0
  outbox.send(
    async () => mailTo(1),
    async () => ++takenBack,
  )
  outbox.send(async () => mailTo(2))
  // Nobody has this address, and the request was answered all the same.
  outbox.send(async () => null)
  await outbox.drain()
  expect(takenBack).toBe(1)
  expect(outbox.counters()[0]!.read()).toEqual([
    { labels: { outcome: 'sent' }, value: 1 },
    { labels: { outcome: 'failed' }, value: 1 },
  ])
})
