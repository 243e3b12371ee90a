"""Memory of OVOS personas, kept by personad."""
from ovos_personad_memory.memory import PersonadMemory

__all__ = ["PersonadMemory"]
