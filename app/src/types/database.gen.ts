export type Json =
  | string
  | number
  | boolean
  | null
  | { [key: string]: Json | undefined }
  | Json[]

export type Database = {
  public: {
    Tables: {
      credit_ledger: {
        Row: {
          actor_id: string | null
          balance: number
          deduction_id: string | null
          delta: number
          entry: number
          id: number
          reason: string
          user_id: string
          written_at: string
        }
        ComputedFields: never
        Insert: {
          actor_id?: string | null
          balance: number
          deduction_id?: string | null
          delta: number
          entry: number
          id?: never
          reason: string
          user_id: string
          written_at?: string
        }
        Update: {
          actor_id?: string | null
          balance?: number
          deduction_id?: string | null
          delta?: number
          entry?: number
          id?: never
          reason?: string
          user_id?: string
          written_at?: string
        }
        Relationships: []
      }
      generations: {
        Row: {
          attempt: number
          deadline_at: string
          failure_reason: string | null
          finished_at: string | null
          id: string
          model_backed: boolean
          request_key: string
          result: Json | null
          started_at: string
          status: string
          tool: string
          user_id: string
        }
        ComputedFields: never
        Insert: {
          attempt: number
          deadline_at: string
          failure_reason?: string | null
          finished_at?: string | null
          id?: string
          model_backed?: boolean
          request_key: string
          result?: Json | null
          started_at?: string
          status?: string
          tool: string
          user_id: string
        }
        Update: {
          attempt?: number
          deadline_at?: string
          failure_reason?: string | null
          finished_at?: string | null
          id?: string
          model_backed?: boolean
          request_key?: string
          result?: Json | null
          started_at?: string
          status?: string
          tool?: string
          user_id?: string
        }
        Relationships: []
      }
      payment_transactions: {
        Row: {
          amount: number
          created_at: string
          credits: number
          customer_info: Json | null
          phone_number: string | null
          status: string
          transaction_id: string
          user_id: string
        }
        ComputedFields: never
        Insert: {
          amount: number
          created_at?: string
          credits: number
          customer_info?: Json | null
          phone_number?: string | null
          status?: string
          transaction_id: string
          user_id: string
        }
        Update: {
          amount?: number
          created_at?: string
          credits?: number
          customer_info?: Json | null
          phone_number?: string | null
          status?: string
          transaction_id?: string
          user_id?: string
        }
        Relationships: []
      }
      profiles: {
        Row: {
          coins: number
          last_payment_amount: number | null
          last_payment_date: string | null
          last_payment_time: string | null
          updated_at: string
          user_id: string
        }
        ComputedFields: never
        Insert: {
          coins: number
          last_payment_amount?: number | null
          last_payment_date?: string | null
          last_payment_time?: string | null
          updated_at?: string
          user_id: string
        }
        Update: {
          coins?: number
          last_payment_amount?: number | null
          last_payment_date?: string | null
          last_payment_time?: string | null
          updated_at?: string
          user_id?: string
        }
        Relationships: []
      }
      user_roles: {
        Row: {
          assigned_at: string
          role: string
          user_id: string
        }
        ComputedFields: never
        Insert: {
          assigned_at?: string
          role: string
          user_id: string
        }
        Update: {
          assigned_at?: string
          role?: string
          user_id?: string
        }
        Relationships: []
      }
    }
    Views: {
      [_ in never]: never
    }
    Functions: {
      cancel_generation: { Args: { request_key: string }; Returns: boolean }
      claim_generation: {
        Args: {
          model_backed?: boolean
          owner: string
          request_key: string
          tool: string
        }
        Returns: {
          attempt: number
          generation_id: string
          outcome: string
          result: Json
          retry_after: number
        }[]
      }
      complete_generation: {
        Args: { generation_id: string; result: Json }
        Returns: boolean
      }
      create_user_profile_if_missing: {
        Args: Record<PropertyKey, never>
        Returns: boolean
      }
      fail_generation: {
        Args: { generation_id: string; reason: string }
        Returns: boolean
      }
      is_admin_user: { Args: { user_id_param: string }; Returns: boolean }
      sweep_deductions: { Args: Record<PropertyKey, never>; Returns: number }
    }
    Enums: {
      [_ in never]: never
    }
    CompositeTypes: {
      [_ in never]: never
    }
  }
}

type DatabaseWithoutInternals = Omit<Database, "__InternalSupabase">

type DefaultSchema = DatabaseWithoutInternals[Extract<keyof Database, "public">]

export type Tables<
  DefaultSchemaTableNameOrOptions extends
    | keyof (DefaultSchema["Tables"] & DefaultSchema["Views"])
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends (DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof (DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"] &
        DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Views"])
    : never) = never,
> = DefaultSchemaTableNameOrOptions extends {
  schema: keyof DatabaseWithoutInternals
}
  ? (DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"] &
      DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Views"])[TableName] extends {
      Row: infer R
    }
    ? R
    : never
  : DefaultSchemaTableNameOrOptions extends keyof (DefaultSchema["Tables"] &
        DefaultSchema["Views"])
    ? (DefaultSchema["Tables"] &
        DefaultSchema["Views"])[DefaultSchemaTableNameOrOptions] extends {
        Row: infer R
      }
      ? R
      : never
    : never

export type TablesInsert<
  DefaultSchemaTableNameOrOptions extends
    keyof DefaultSchema["Tables"] | { schema: keyof DatabaseWithoutInternals },
  TableName extends (DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"]
    : never) = never,
> = DefaultSchemaTableNameOrOptions extends {
  schema: keyof DatabaseWithoutInternals
}
  ? DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"][TableName] extends {
      Insert: infer I
    }
    ? I
    : never
  : DefaultSchemaTableNameOrOptions extends keyof DefaultSchema["Tables"]
    ? DefaultSchema["Tables"][DefaultSchemaTableNameOrOptions] extends {
        Insert: infer I
      }
      ? I
      : never
    : never

export type TablesUpdate<
  DefaultSchemaTableNameOrOptions extends
    keyof DefaultSchema["Tables"] | { schema: keyof DatabaseWithoutInternals },
  TableName extends (DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"]
    : never) = never,
> = DefaultSchemaTableNameOrOptions extends {
  schema: keyof DatabaseWithoutInternals
}
  ? DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"][TableName] extends {
      Update: infer U
    }
    ? U
    : never
  : DefaultSchemaTableNameOrOptions extends keyof DefaultSchema["Tables"]
    ? DefaultSchema["Tables"][DefaultSchemaTableNameOrOptions] extends {
        Update: infer U
      }
      ? U
      : never
    : never

export type Enums<
  DefaultSchemaEnumNameOrOptions extends
    keyof DefaultSchema["Enums"] | { schema: keyof DatabaseWithoutInternals },
  EnumName extends (DefaultSchemaEnumNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaEnumNameOrOptions["schema"]]["Enums"]
    : never) = never,
> = DefaultSchemaEnumNameOrOptions extends {
  schema: keyof DatabaseWithoutInternals
}
  ? DatabaseWithoutInternals[DefaultSchemaEnumNameOrOptions["schema"]]["Enums"][EnumName]
  : DefaultSchemaEnumNameOrOptions extends keyof DefaultSchema["Enums"]
    ? DefaultSchema["Enums"][DefaultSchemaEnumNameOrOptions]
    : never

export type CompositeTypes<
  PublicCompositeTypeNameOrOptions extends
    | keyof DefaultSchema["CompositeTypes"]
    | { schema: keyof DatabaseWithoutInternals },
  CompositeTypeName extends (PublicCompositeTypeNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[PublicCompositeTypeNameOrOptions["schema"]]["CompositeTypes"]
    : never) = never,
> = PublicCompositeTypeNameOrOptions extends {
  schema: keyof DatabaseWithoutInternals
}
  ? DatabaseWithoutInternals[PublicCompositeTypeNameOrOptions["schema"]]["CompositeTypes"][CompositeTypeName]
  : PublicCompositeTypeNameOrOptions extends keyof DefaultSchema["CompositeTypes"]
    ? DefaultSchema["CompositeTypes"][PublicCompositeTypeNameOrOptions]
    : never

export const Constants = {
  public: {
    Enums: {},
  },
} as const
