import { expect, test } from 'vitest'
import { absoluteMarkdown, renderMarkdown, textSections } from '../../../src/doors/docs/markdown.ts'

const text = [
  '# A `title`',
  '## What a **change** of the plan does',
  '## Same',
  '## Same',
  'See [there](other.md#x), [here](#same-1) or [nowhere](gone.md), <b>not bold</b>.',
  '| a | b |',
  '| --- | --- |',
  '| `x<y` | "q" |',
].join('\n')
const resolve = (target: string) => (target.startsWith('other.md') ? '/docs/other#x' : null)

test('headings get the ids of GitHub, code and markup are text, and links without a target too', () => {
  const { title, sections, body } = renderMarkdown(text, resolve)
  expect(title).toBe('A title')
  expect(sections.map(({ id }) => id)).toEqual(['what-a-change-of-the-plan-does', 'same', 'same-1'])
  expect(body.text).toContain('<a href="/docs/other#x">there</a>, <a href="#same-1">here</a> or nowhere')
  expect(body.text).toContain('&#60;b&#62;not bold')
  expect(body.text).toContain('<code>x&lt;y</code>')
})

test('Markdown for other sites has absolute links, and text where there is no target', () => {
  const base = { site: 'https://storedex.example', page: '/docs/this' }
  expect(absoluteMarkdown(text, base, resolve)).toContain(
    'See [there](https://storedex.example/docs/other#x), [here](https://storedex.example/docs/this#same-1) or nowhere',
  )
})

test('the text that is searched has no marks, and the ids of the page', () => {
  expect(textSections(text).map(({ id, heading }) => [id, heading])).toEqual([
    ['a-title', 'A title'],
    ['what-a-change-of-the-plan-does', 'What a change of the plan does'],
    ['same', 'Same'],
    ['same-1', 'Same'],
  ])
  expect(textSections(text).at(-1)?.text).toMatch(/^See there, here or nowhere, .*not bold.* a b x<y "q"$/)
})
