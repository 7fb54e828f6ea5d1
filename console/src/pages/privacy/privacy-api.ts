import { api } from '#api/client.ts'
import type {
  CopyPrivacyDataResponse,
  EraseByPrivacyLinkResponse,
  OpenPrivacyLinkResponse,
} from '#api/generated/console.ts'

export type HeldData = OpenPrivacyLinkResponse
export type HeldContact = HeldData['contacts'][number]

export const askForLink = (email: string) => api.post('/privacy/requests', { email })

export const openPrivacyLink = (token: string) => api.post<OpenPrivacyLinkResponse>('/privacy/open', { token })

export const copyPrivacyData = (token: string) => api.post<CopyPrivacyDataResponse>('/privacy/file', { token })

export const eraseByLink = (token: string) => api.post<EraseByPrivacyLinkResponse>('/privacy/erase', { token })
