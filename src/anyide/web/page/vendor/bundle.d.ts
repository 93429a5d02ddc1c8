export * from "anyide-vendor";
export type { ChangeDesc, Extension, StateEffectType } from "@codemirror/state";
export type { ViewUpdate } from "@codemirror/view";
