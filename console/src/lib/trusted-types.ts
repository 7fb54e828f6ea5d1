interface TrustedTypes {
  createPolicy(name: 'default', rules: { createHTML(html: string): string | null }): void
}

/**
 * The Content-Security-Policy forbids to turn text into HTML or scripts, where browsers know how to. The one exception is
 * no HTML at all: React Aria empties its announcer with it.
 */
export function forbidHtmlFromText(): void {
  const { trustedTypes } = window as { trustedTypes?: TrustedTypes }
  trustedTypes?.createPolicy('default', { createHTML: (html) => (html === '' ? html : null) })
}
