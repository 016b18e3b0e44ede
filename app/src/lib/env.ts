import * as z from 'zod/mini';

const text = z._default(z.string(), '');

const schema = z.object({
  VITE_SUPABASE_URL: text,
  VITE_SUPABASE_PUBLISHABLE_KEY: z.string().check(z.minLength(1)),
  VITE_PRODUCT_NAME: z.string().check(z.minLength(1)),
  VITE_SUPPORT_EMAIL: text,
  VITE_SUPPORT_PHONE: text,
  VITE_WHATSAPP_NUMBER: text,
  VITE_INSTAGRAM_URL: text,
  VITE_UPI_PAYEE_ADDRESS: text,
  VITE_UPI_PAYEE_NAME: text,
  VITE_BLOG_ADMIN_EMAIL: text,
  VITE_GOOGLE_ENABLED: z._default(z.enum(['true', 'false', '']), ''),
});

/** The public configuration of one build. Empty texts mean that the feature is not offered. */
export interface Env {
  supabaseUrl: string;
  supabaseKey: string;
  productName: string;
  supportEmail: string;
  supportPhone: string;
  whatsappNumber: string;
  instagramUrl: string;
  upiPayeeAddress: string;
  upiPayeeName: string;
  blogAdminEmail: string;
  googleEnabled: boolean;
}

/** Checks the variables of the build. Throws with the names of those that are missing or malformed. */
export function parseEnv(variables: unknown): Env {
  const parsed = schema.safeParse(variables);
  if (!parsed.success) {
    const names = parsed.error.issues.map((issue) => issue.path.join('.')).join(', ');
    throw new Error(`app/.env is incomplete: ${names}`);
  }
  const values = parsed.data;
  return {
    supabaseUrl: values.VITE_SUPABASE_URL,
    supabaseKey: values.VITE_SUPABASE_PUBLISHABLE_KEY,
    productName: values.VITE_PRODUCT_NAME,
    supportEmail: values.VITE_SUPPORT_EMAIL,
    supportPhone: values.VITE_SUPPORT_PHONE,
    whatsappNumber: values.VITE_WHATSAPP_NUMBER.replace(/\D/g, ''),
    instagramUrl: values.VITE_INSTAGRAM_URL,
    upiPayeeAddress: values.VITE_UPI_PAYEE_ADDRESS,
    upiPayeeName: values.VITE_UPI_PAYEE_NAME || values.VITE_PRODUCT_NAME,
    blogAdminEmail: values.VITE_BLOG_ADMIN_EMAIL,
    googleEnabled: values.VITE_GOOGLE_ENABLED === 'true',
  };
}

export const env = parseEnv(import.meta.env);
