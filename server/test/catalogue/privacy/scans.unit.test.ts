import { expect, test } from 'vitest'
import { ScanLimiter } from '../../../src/catalogue/privacy/link.ts'

/** A scan that runs until it is ended. */
function newScan(scans: ScanLimiter, address: string, link: string) {
  let end = () => {}
  const gate = new Promise<void>((resolve) => {
    end = resolve
  })
  let hasBegun = false
  const running = scans.run(address, link, () => {
    hasBegun = true
    return gate
  })
  running.catch(() => {})
  return { running, end, hasBegun: () => hasBegun }
}

test('one network has half of the readings, however many addresses it has', async () => {
  const scans = new ScanLimiter()
  const [first, second] = [1, 2].map((n) => newScan(scans, `2001:db8:1:2::${n}`, `link ${n}`))
  await expect(newScan(scans, '2001:db8:1:2::3', 'link 3').running).rejects.toMatchObject({
    code: 'service_unavailable',
  })
  const other = newScan(scans, '2001:db8:1:3::1', 'link 4')
  expect(other.hasBegun()).toBe(true)
  for (const scan of [first!, second!, other]) {
    scan.end()
    await scan.running
  }
})

test('a link is read once at a time; the next waits, and takes nothing from others', async () => {
  const scans = new ScanLimiter()
  const [first, second, third] = ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map((address) =>
    newScan(scans, address, 'one link'),
  )
  expect([first, second, third].map((scan) => scan!.hasBegun())).toEqual([true, false, false])
  const other = newScan(scans, '192.0.2.4', 'another link')
  expect(other.hasBegun()).toBe(true)
  other.end()
  first!.end()
  await first!.running
  await expect.poll(() => second!.hasBegun()).toBe(true)
  expect(third!.hasBegun()).toBe(false)
  second!.end()
  third!.end()
  await third!.running
})
