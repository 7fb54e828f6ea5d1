import { ChevronDown } from 'lucide-react'
import { type ApiCall, asCurl, asToolCall, asTypeScript } from '#lib/copy-as.ts'
import { Button } from '#ui/actions/button.tsx'
import { copyText } from '#ui/actions/copy-button.tsx'
import { Menu, MenuItem } from '#ui/actions/menu.tsx'
import { showToast } from '#ui/feedback/toasts.tsx'

const setKey = 'Set STOREDEX_API_KEY to one of your keys before you run it.'

/** The search of the page as a program would run it. */
export function CopyAsMenu({ path, body }: Pick<ApiCall, 'path' | 'body'>) {
  const copy = async (write: (call: ApiCall) => string, advice: string) => {
    try {
      await copyText(write({ origin: window.location.origin, path, body }))
      showToast(`Copied. ${advice}`)
    } catch {
      showToast('The browser did not allow copying.')
    }
  }
  return (
    <Menu
      label="Copy as"
      placement="bottom end"
      trigger={
        <Button isSmall className="max-sm:hidden">
          Copy as
          <ChevronDown aria-hidden />
        </Button>
      }
    >
      <MenuItem onAction={() => void copy(asCurl, setKey)}>curl</MenuItem>
      <MenuItem onAction={() => void copy(asTypeScript, setKey)}>TypeScript</MenuItem>
      <MenuItem onAction={() => void copy(asToolCall, 'It is the call of a tool, for an assistant.')}>MCP</MenuItem>
    </Menu>
  )
}
