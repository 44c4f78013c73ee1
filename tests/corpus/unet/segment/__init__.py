from .network import UNet
