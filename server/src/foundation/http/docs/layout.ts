import { Html, html } from '../pages/html.ts'

/** The bar above the reference and above the documents: the same links everywhere. */
export const barHeight = '3rem'

export const barStyle = `
.bar { display: flex; align-items: center; gap: 1.25rem; height: ${barHeight}; padding: 0 1.25rem; font-size: 0.875rem;
  border-bottom: 1px solid var(--line); background: var(--surface); color: var(--text); }
.bar strong { font-weight: 600; }
.bar a { color: var(--muted); text-decoration: none; padding: 0.25rem 0; }
.bar a:hover { color: var(--text); text-decoration: underline; }
.bar a[aria-current] { color: var(--text); font-weight: 600; }
@media (max-width: 30rem) { .bar { gap: 0.875rem; padding: 0 1rem; } .bar strong { display: none; } }
`

const links = [
  ['/docs', 'Reference'],
  ['/docs/guide', 'Guide'],
  ['/docs/sandbox', 'Sandbox'],
  ['/', 'Console'],
] as const

/** `current` is the path of the page itself. */
export function documentationBar(current: string): Html {
  return html`<nav class="bar" aria-label="Documentation">
      <strong>Storedex API</strong>
      ${links.map(
        ([path, label]) => html`<a href="${path}"${path === current && new Html(' aria-current="page"')}>${label}</a>
      `,
      )}
    </nav>`
}
